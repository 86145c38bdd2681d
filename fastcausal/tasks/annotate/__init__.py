"""The page on which raters judge answers and claims, and the judgments that come back from it."""
