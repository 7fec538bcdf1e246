/**
 * One after the other, so that an older table never arrives after a newer one; and those who come
 * while one is on its way share the next, which sees what all of them did.
 */
export function createPublisher(send: () => Promise<void>): () => Promise<void> {
  let onItsWay: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= onItsWay.then(() => {
      next = undefined;
      const sent = send();
      onItsWay = sent.catch(() => undefined);
      return sent;
    });
    return next;
  };
}
