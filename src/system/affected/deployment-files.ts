import { basename, extname } from 'node:path/posix';
import { readForeignText } from '../../document/index.ts';
import { canonicalJson, isJsonObject, type Json } from '../../kernel/index.ts';
import type { VersionFiles } from './version-files.ts';

const settings = ['.yaml', '.yml', '.json', '.toml', '.env', '.properties', '.conf', '.tpl'];

/**
 * The services that a file for a deployment names: `charts/orders/values.yaml`,
 * `docker/orders.Dockerfile`, or `orders:` in a compose file or in the values of a Helm chart whose
 * value is another one now.
 */
export async function servicesDeployedBy(
  path: string,
  services: readonly string[],
  versions: readonly VersionFiles[],
): Promise<string[]> {
  if (!isDeploymentFile(path)) return [];
  const words = path.split(/[/.]/);
  const named = services.filter((service) => words.includes(service));
  if (named.length > 0) return named;
  const [before = [], after = []] = await Promise.all(
    versions.map(async (version) => readForeignText((await version.read([path])).get(path) ?? '')),
  );
  return services.filter((service) => sectionsOf(before, service) !== sectionsOf(after, service));
}

function isDeploymentFile(path: string): boolean {
  return basename(path).includes('Dockerfile') || settings.includes(extname(path));
}

const depthMax = 3;

/** What documents say under the name of a service, also inside of `services:`. */
function sectionsOf(documents: readonly unknown[], service: string): string {
  const found: Json[] = [];
  const search = (value: unknown, depth: number): void => {
    if (!isJsonObject(value) || depth === 0) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === service) found.push(inner);
      else search(inner, depth - 1);
    }
  };
  for (const document of documents) search(document, depthMax);
  return canonicalJson(found);
}
