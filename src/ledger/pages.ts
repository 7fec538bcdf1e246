/** Pages until an empty one; `next` gets the last item so far and gives the page after it. */
export async function* pagesAfter<Item>(
  next: (last: Item | undefined) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[]> {
  let last: Item | undefined;
  while (true) {
    const page = await next(last);
    if (page.length === 0) return;
    yield page;
    last = page.at(-1);
  }
}
