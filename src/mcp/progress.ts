import type { ServerContext } from '@modelcontextprotocol/server';

/** More often than the 60 s after which many clients give up on a silent call. */
const tellEveryMs = 10_000;

/** Tells a client that asked for it that its call is still being worked on. */
export async function withProgress<Result>(
  { mcpReq }: ServerContext,
  work: () => Promise<Result>,
): Promise<Result> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'still working' };
    // A client that has gone away ends the call by its signal.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, tellEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
