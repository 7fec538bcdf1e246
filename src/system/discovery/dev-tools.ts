import { posix } from 'node:path';
import { type FileDiscovery, serviceNameOf } from './found.ts';
import { type KubernetesPlace, readKubernetes } from './kubernetes.ts';
import { list, type Repository, record, text } from './repository.ts';

/** skaffold.yaml says which images are built from which directories, and where manifests are. */
export function readSkaffold(repository: Repository): FileDiscovery {
  const documents = repository.yaml('skaffold.yaml').map(record);
  const artifacts = documents.flatMap((one) => list(record(one.build).artifacts).map(record));
  const contexts = Object.fromEntries(
    artifacts.map((artifact) => [text(artifact.image) ?? '', text(artifact.context) ?? '.']),
  );
  const patterns = documents.flatMap((one) => [
    ...list(record(one.manifests).rawYaml),
    ...list(record(record(one.deploy).kubectl).manifests),
  ]);
  return readKubernetes(repository, { files: matching(repository, patterns), contexts });
}

const calls = {
  manifests: /k8s_yaml\(([^)]*)\)/g,
  images: /docker_build\(\s*['"]([^'"]+)['"]\s*,\s*['"]([^'"]+)['"]/g,
  local: /local_resource\(\s*['"]([^'"]+)['"]([\s\S]*?)\n?\)/g,
  texts: /['"]([^'"]+)['"]/g,
};

/** A Tiltfile is a program; what it says in the usual words is understood, the rest is not. */
export function readTiltfile(repository: Repository): FileDiscovery {
  const source = repository.text('Tiltfile');
  const patterns = [...source.matchAll(calls.manifests)].flatMap(([, inside = '']) =>
    [...inside.matchAll(calls.texts)].map(([, path]) => path),
  );
  const images = [...source.matchAll(calls.images)].map(([, image = '', context = '']) => [
    image,
    posix.normalize(context).replace(/\/$/, ''),
  ]);
  const place: KubernetesPlace = {
    files: matching(repository, patterns),
    contexts: Object.fromEntries(images),
  };
  const { services } = readKubernetes(repository, place);
  const local = [...source.matchAll(calls.local)].flatMap(([, name = '', rest = '']) => {
    const command = /serve_cmd\s*=\s*['"]([^'"]+)['"]/.exec(rest)?.[1];
    const directory = /serve_dir\s*=\s*['"]([^'"]+)['"]/.exec(rest)?.[1];
    const port = /(?:localhost|127\.0\.0\.1):(\d+)|\bPORT=(\d+)|--port[= ](\d+)/.exec(rest);
    const found = port?.slice(1).find(Boolean);
    if (command === undefined) return [];
    const number = found === undefined ? undefined : Number(found);
    return [{ name: serviceNameOf(name), command, directory, port: number, where: 'Tiltfile' }];
  });
  return { services: [...local, ...services] };
}

/** The compose file that a Tiltfile names, if any. */
export function composeOfTiltfile(repository: Repository): string | undefined {
  const source = repository.text('Tiltfile');
  return /docker_compose\(\s*['"]([^'"]+)['"]/.exec(source)?.[1]?.replace(/^\.\//, '');
}

function matching(repository: Repository, patterns: readonly unknown[]): string[] {
  const wanted = patterns.map((pattern) => posix.normalize(String(pattern)));
  return repository
    .files()
    .filter((file) => wanted.some((one) => file === one || posix.matchesGlob(file, one)));
}
