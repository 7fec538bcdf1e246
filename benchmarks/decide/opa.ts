import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadPolicy } from '@open-policy-agent/opa-wasm';
import type { Decider } from './contender.ts';
import { regoFiles } from './rego.ts';
import type { Rule, Variant } from './rules.ts';

const compiledFile = new URL('./wasm/compiled.json', import.meta.url);

export function wasmFile(id: Variant['id']): string {
  return fileURLToPath(new URL(`./wasm/${id}.wasm.gz`, import.meta.url));
}

export function regoDigest(rules: readonly Rule[]): string {
  return createHash('sha256')
    .update(JSON.stringify(regoFiles(rules)))
    .digest('hex');
}

/** OPA as wasm, compiled by build-wasm.ts. Rules that it was not compiled from are refused. */
export async function openOpa({ id, rules }: Variant): Promise<Decider> {
  const { opa, rego } = JSON.parse(readFileSync(compiledFile, 'utf8'));
  if (rego[id] !== regoDigest(rules)) {
    throw new Error(`The rules of ${id} have changed: run benchmarks/decide/build-wasm.ts.`);
  }
  const policy = await loadPolicy(gunzipSync(readFileSync(wasmFile(id))));
  return {
    name: `OPA ${opa}, compiled to wasm`,
    decide: (tool, args) => (policy.evaluate({ tool, args })[0]?.result ? 'allow' : 'deny'),
  };
}
