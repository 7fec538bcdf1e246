import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyRing, signGrant } from '../src/gate/grants/index.ts';
import { canonicalJson, createClock, limits, sha256 } from '../src/kernel/index.ts';
import { bounds } from '../src/verify-grant/bounds.ts';
import { canonicalJson as verifiersJson } from '../src/verify-grant/canonical-json.ts';
import { findOldNode } from './harness/old-node.ts';
import { Scratch } from './harness/scratch.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

// proves: kernel.limits
test('the verifier keeps to the limits of the runtime', () => {
  expect(bounds).toEqual({
    grantBytesMax: limits.grantBytesMax,
    grantMsMax: limits.grantMsMax,
    grantSkewMs: limits.grantSkewMs,
    grantSkewMsMax: limits.grantSkewMsMax,
    seenGrantsMax: limits.seenGrantsMax,
    jsonDepthMax: limits.jsonDepthMax,
  });
});

test('the verifier writes JSON as the runtime does, and refuses what the runtime refuses', () => {
  const written = (write: () => string): string | undefined => {
    try {
      return write();
    } catch {
      return undefined;
    }
  };
  const anything = fc.anything({ withDate: true, withMap: true, withNullPrototype: true });
  const odd = fc.oneof(fc.jsonValue(), anything, fc.string({ unit: 'binary' }), fc.double());
  fc.assert(
    fc.property(odd, (value) => {
      expect(written(() => verifiersJson(value))).toBe(
        written(() => canonicalJson(value as never)),
      );
    }),
    { numRuns: 2_000 },
  );
});

/** Verifies one grant, after noting every module that is asked for. */
const program = `
import * as modules from 'node:module';
import { readFileSync } from 'node:fs';
const asked = [];
modules.registerHooks?.({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    asked.push(found.url);
    return found;
  },
});
const { verifyGrant } = await import('surety/verify-grant');
const { token, options } = JSON.parse(readFileSync(0, 'utf8'));
const results = [verifyGrant(token, options), verifyGrant(token, options)];
process.stdout.write(JSON.stringify({ asked, results }));
`;

/** A package as npm would install it: what the build makes of this folder, and nothing else. */
async function install(): Promise<Scratch> {
  const scratch = new Scratch();
  const home = scratch.file('node_modules/surety');
  mkdirSync(home, { recursive: true });
  const source = join(root, 'src');
  const project = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: { rootDir: source, outDir: join(home, 'dist'), types: ['node'] },
    include: [join(source, 'verify-grant')],
    exclude: [join(source, '**/*.test.ts'), join(source, '**/*.fixture.ts')],
  };
  writeFileSync(scratch.file('tsconfig.json'), JSON.stringify(project));
  symlinkSync(join(root, 'node_modules/@types'), scratch.file('node_modules/@types'));
  await run(join(root, 'node_modules/.bin/tsc'), ['-p', scratch.file('tsconfig.json')]);
  cpSync(join(root, 'package.json'), join(home, 'package.json'));
  return scratch;
}

// proves: grant.alone
describe('the built verifier', () => {
  const refund = { orderId: 'o-7', amount: 1_250 };

  async function verify(node: string, scratch: Scratch): Promise<string> {
    const clock = createClock();
    const ring = new KeyRing(scratch.file('ring.json'), clock);
    const terms = {
      workspace: 'shop',
      audience: 'payments',
      actor: 'agent:ada',
      proposal: 'prop_01',
      tool: 'refund.issue',
      argumentsHash: sha256(canonicalJson(refund)),
      grantedAt: clock.now(),
    } as const;
    const { token } = signGrant(terms, ring.signer());
    const { workspace: issuer, audience, tool } = terms;
    const options = { jwks: ring.jwks(), issuer, audience, tool, arguments: refund };
    const file = scratch.file('executor.mjs');
    writeFileSync(file, program);
    return execFileSync(node, [file], {
      cwd: scratch.path,
      input: JSON.stringify({ token, options }),
      encoding: 'utf8',
    });
  }

  test('loads node:crypto and its own files, and nothing else', async () => {
    using scratch = await install();
    const { asked, results } = JSON.parse(await verify(process.execPath, scratch));
    const own = `file://${scratch.file('node_modules/surety/dist/verify-grant/')}`;
    const others = asked.filter((url: string) => !url.startsWith(own));
    expect([...new Set(others)]).toEqual(['node:crypto']);
    expect(asked.length).toBeGreaterThan(5);
    expect(results).toMatchObject([{ ok: true }, { ok: false, code: 'GRANT_USED' }]);
  });

  const oldNode = findOldNode();
  if (!oldNode) process.stderr.write('no Node older than 22: the verifier is not tried there\n');

  test.skipIf(!oldNode)('also runs on a Node that is too old for Surety itself', async () => {
    using scratch = await install();
    const answer = await verify(oldNode as string, scratch);
    expect(JSON.parse(answer).results).toMatchObject([{ ok: true }, { code: 'GRANT_USED' }]);
  });
});
