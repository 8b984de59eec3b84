"""What guesses: embedders and rerankers, packaged or behind an endpoint. Nothing outside holds their drivers."""
