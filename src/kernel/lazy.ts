/** Calls `make` on first use and keeps the result. */
export function lazy<Made>(make: () => Made): () => Made {
  let kept: { readonly made: Made } | undefined;
  return () => {
    kept ??= { made: make() };
    return kept.made;
  };
}
