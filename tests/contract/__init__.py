"""Every byte that a user sees, kept to be compared with another commit."""
