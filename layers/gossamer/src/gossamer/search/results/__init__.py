"""What is shown of results: texts, snippets, explanations, and the similar pages of each."""
