import { createRequire } from 'node:module';
import { beforeEach, describe, expect, test } from 'vitest';

interface Context {
  readonly key: string;
}

/** One of its own for each test: it knows all requests of its process. */
function load(): {
  open(key: string): Context;
  close(context: Context, afterMs?: number): void;
  current(addressOf?: () => string | undefined): Context | undefined;
  meet(key: string | undefined): void;
  run<Result>(context: Context | undefined, action: () => Result): Result;
  timed<Result>(action: () => Result): () => Result;
  onLoss(tell: (context: Context, how: string, to?: string) => void): void;
} {
  const require = createRequire(import.meta.url);
  const file = require.resolve('./context.cjs');
  delete require.cache[file];
  return require(file);
}

describe('a request whose key is lost', () => {
  let context: ReturnType<typeof load>;
  let losses: string[];

  beforeEach(() => {
    context = load();
    losses = [];
    context.onLoss(({ key }, how, to) => losses.push([key, how, to].filter(Boolean).join(' ')));
  });

  /** A call from a timer of this request, or of nobody's. */
  const callLater = (served?: Context, to?: string): Context | undefined =>
    context.run(served, () => context.timed(() => context.current(() => to)))();

  /** A request of a lane, and one of nobody's. */
  const serveBoth = (): Context => {
    context.meet('k1');
    context.meet(undefined);
    return context.open('k1');
  };

  test('reports a loss by its own timer, even after a possible loss by a timer of others', () => {
    const served = context.open('k1');
    context.meet('k1');
    context.meet(undefined);
    expect([callLater(), callLater(served), callLater(served)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(losses).toEqual(['k1 shared', 'k1 own']);
  });

  test('reports a call after its end, even after an earlier loss', () => {
    const served = context.open('k1');
    context.meet('k1');
    context.meet('k2');
    callLater(served);
    context.close(served, 0);
    expect(context.run(served, () => context.current())).toBeUndefined();
    expect(losses).toEqual(['k1 own', 'k1 late']);
  });

  test('reports no possible loss after a certain one', () => {
    const served = serveBoth();
    callLater(served);
    callLater();
    expect(losses).toEqual(['k1 own']);
  });

  test('reports losses by connections once for each address, and a loss by a call as well', () => {
    const served = serveBoth();
    for (const to of ['a:1', 'a:1', 'b:2']) callLater(served, to);
    callLater(undefined, 'b:2');
    callLater(undefined, 'c:3');
    expect(losses.splice(0)).toEqual(['k1 own a:1', 'k1 own b:2', 'k1 shared c:3']);
    callLater(served);
    callLater(served, 'd:4');
    callLater(undefined, 'd:4');
    expect(losses).toEqual(['k1 own']);
  });

  test('reports losses by connections to too many addresses once without an address', () => {
    const served = serveBoth();
    for (let port = 1; port <= 100; port++) callLater(served, `a:${port}`);
    expect(losses).toHaveLength(17);
    expect(losses.slice(-2)).toEqual(['k1 own a:16', 'k1 own']);
  });
});
