"""The page that scores: native readers and counts in one HTML file."""
