import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freshBundle } from '../scripts/fresh-bundle.ts';
import { KeyRing, signGrant } from '../src/gate/grants/index.ts';
import { canonicalJson, createClock, sha256, sharedLimits } from '../src/kernel/index.ts';
import { canonicalJson as verifiersJson } from '../src/verify-grant/canonical-json.ts';
import { jsonDepthMax } from '../src/verify-grant/limits.ts';
import { anyText } from './harness/any-text.ts';
import { runs } from './harness/deep.ts';
import { findOldNode } from './harness/old-node.ts';
import { Scratch } from './harness/scratch.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

// proves: kernel.limits
test('the verifier reads JSON as deep as the runtime does', () => {
  expect(jsonDepthMax).toBe(sharedLimits.jsonDepthMax);
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
  const odd = fc.oneof(fc.jsonValue(), anything, anyText(), fc.double());
  fc.assert(
    fc.property(odd, (value) => {
      expect(written(() => verifiersJson(value))).toBe(
        written(() => canonicalJson(value as never)),
      );
    }),
    { numRuns: runs(300, 50_000) },
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

/** A package as npm would install it, with the files of this export and no others. */
async function install(): Promise<Scratch> {
  const scratch = new Scratch();
  const home = scratch.file('node_modules/surety');
  const built = await freshBundle();
  const files = readdirSync(built).filter((name) => name.startsWith('verify-grant'));
  for (const name of files) cpSync(join(built, name), join(home, 'dist', name));
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
    const own = `file://${scratch.file('node_modules/surety/dist/verify-grant')}`;
    const others = asked.filter((url: string) => !url.startsWith(own));
    expect([...new Set(others)]).toEqual(['node:crypto']);
    expect(asked.length).toBeGreaterThan(others.length);
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
