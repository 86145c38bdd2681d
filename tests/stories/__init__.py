"""What users have, and what they want of it: from files to answers in few lines."""
