"""What the owner of a collection changes in a ranking: boosts, and chosen results."""
