import { createRequire } from 'node:module';
import { beforeEach, describe, expect, test } from 'vitest';

interface Context {
  readonly key: string;
}

/** One of its own for each test: it knows all requests of its process. */
function load(): {
  open(key: string): Context;
  close(context: Context, afterMs?: number): void;
  current(): Context | undefined;
  meet(key: string | undefined): void;
  run<Result>(context: Context | undefined, action: () => Result): Result;
  timed<Result>(action: () => Result): () => Result;
  onLoss(tell: (context: Context, how: string) => void): void;
} {
  const require = createRequire(import.meta.url);
  const file = require.resolve('./context.cjs');
  delete require.cache[file];
  return require(file);
}

describe('a request whose key is lost', () => {
  let context: ReturnType<typeof load>;
  let told: string[];

  beforeEach(() => {
    context = load();
    told = [];
    context.onLoss(({ key }, how) => told.push(`${key} ${how}`));
  });

  /** A call from a timer of this request, or of nobody's. */
  const callLater = (served?: Context): Context | undefined =>
    context.run(served, () => context.timed(() => context.current()))();

  test('by a timer of its own is told of it, though a timer of others raised a doubt before', () => {
    const served = context.open('k1');
    context.meet('k1');
    context.meet(undefined);
    expect([callLater(), callLater(served), callLater(served)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(told).toEqual(['k1 shared', 'k1 own']);
  });

  test('is told when it is over, though it lost it before', () => {
    const served = context.open('k1');
    context.meet('k1');
    context.meet('k2');
    callLater(served);
    context.close(served, 0);
    expect(context.run(served, () => context.current())).toBeUndefined();
    expect(told).toEqual(['k1 own', 'k1 late']);
  });

  test('is not told of a doubt when there is a loss already', () => {
    const served = context.open('k1');
    context.meet('k1');
    context.meet(undefined);
    callLater(served);
    callLater();
    expect(told).toEqual(['k1 own']);
  });
});
