/**
 * `OPA=<path to opa> npx node benchmarks/decide/build-wasm.ts` compiles the rules of every variant
 * to wasm. To be run again whenever rules.ts or rego.ts change. How to get the compiler:
 * `GOBIN=/tmp/opa go install github.com/open-policy-agent/opa@v1.22.0`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { regoDigest, wasmFile } from './opa.ts';
import { regoFiles } from './rego.ts';
import { type Variant, variants } from './rules.ts';

const opa = process.env.OPA ?? 'opa';
const compiled = Object.fromEntries(variants.map(({ id, rules }) => [id, regoDigest(rules)]));
for (const variant of variants)
  writeFileSync(wasmFile(variant.id), gzipSync(compile(variant), { level: 9 }));
const [version] = execFileSync(opa, ['version'], { encoding: 'utf8' }).split('\n');
const facts = JSON.stringify({ opa: version?.replace('Version: ', ''), rego: compiled }, null, 2);
writeFileSync(new URL('./wasm/compiled.json', import.meta.url), `${facts}\n`);

function compile({ rules }: Variant): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'surety-rego-'));
  for (const [name, text] of Object.entries(regoFiles(rules))) {
    writeFileSync(join(directory, name), text);
  }
  const bundle = join(directory, 'bundle.tar.gz');
  execFileSync(opa, ['build', '-t', 'wasm', '-e', 'decide/allow', '-o', bundle, directory]);
  execFileSync('tar', ['-xzf', bundle, '-C', directory, '/policy.wasm']);
  const wasm = readFileSync(join(directory, 'policy.wasm'));
  rmSync(directory, { recursive: true });
  return wasm;
}
