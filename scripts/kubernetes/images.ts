import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheDirectory, debianDirectory, programPath } from './binaries.ts';

/** Source paths by their place in an image. */
export type ImageFiles = Readonly<Record<string, string>>;

/** An image without a registry: its files, and what it runs. */
export interface ImageRequest {
  readonly name: string;
  readonly files: ImageFiles;
  /** Whether it also has Node. */
  readonly hasNode?: boolean;
  readonly entrypoint: readonly string[];
  readonly workingDirectory?: string;
}

/** What holds the namespaces of every pod. */
export const pauseImage: ImageRequest = {
  name: 'surety.test/pause:1',
  files: { '/pause': programPath('pause') },
  entrypoint: ['/pause'],
};

/** Writes an image as an OCI archive and gives it to containerd, where the kubelet finds it. */
export function importImage(request: ImageRequest, containerdSocket: string): void {
  const place = mkdtempSync(join(tmpdir(), 'surety-image-'));
  try {
    const archive = writeArchive(request, place);
    const ctr = join(debianDirectory, 'usr/bin/ctr');
    const words = ['-a', containerdSocket, '-n', 'k8s.io', 'images', 'import', archive];
    execFileSync(ctr, words, { stdio: 'pipe' });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** The node binary of this process with the libraries that it loads, packed once. */
function nodeLayer(place: string): string {
  const layer = join(cacheDirectory, `node-${process.version}.tar`);
  if (existsSync(layer)) return layer;
  const listed = execFileSync('ldd', [process.execPath], { encoding: 'utf8' });
  const libraries = [...listed.matchAll(/(\/\S+)\s+\(0x/g)].map(([, path = '']) => path);
  const files = libraries.map((path) => [path, path]);
  const part = packLayer(
    Object.fromEntries([['/usr/bin/node', process.execPath], ...files]),
    place,
  );
  renameSync(part, layer);
  return layer;
}

function packLayer(files: ImageFiles, place: string): string {
  const tree = mkdtempSync(join(place, 'tree-'));
  for (const [target, source] of Object.entries(files)) {
    const path = join(tree, target);
    mkdirSync(dirname(path), { recursive: true });
    cpSync(source, path, { recursive: true, dereference: true });
  }
  mkdirSync(join(tree, 'tmp'), { recursive: true });
  const layer = `${tree}.tar`;
  const plain = ['--owner=0', '--group=0', '--mtime=@0', '--sort=name'];
  execFileSync('tar', ['-C', tree, ...plain, '-cf', layer, '.']);
  return layer;
}

function writeArchive(request: ImageRequest, place: string): string {
  const { name, files, hasNode, entrypoint, workingDirectory = '/' } = request;
  const layout = join(place, 'layout');
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const tars = [...(hasNode ? [nodeLayer(place)] : []), packLayer(files, place)];
  const layers = tars.map((tar) => addBlob(blobs, readFileSync(tar), tar));
  const config = addBlob(
    blobs,
    json({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Entrypoint: entrypoint, WorkingDir: workingDirectory, Env: ['PATH=/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    }),
  );
  const manifestType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = addBlob(
    blobs,
    json({
      schemaVersion: 2,
      mediaType: manifestType,
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
      layers: layers.map((layer) => ({
        mediaType: 'application/vnd.oci.image.layer.v1.tar',
        ...layer,
      })),
    }),
  );
  const annotations = { 'io.containerd.image.name': name };
  const manifests = [{ mediaType: manifestType, ...manifest, annotations }];
  writeFileSync(join(layout, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }));
  writeFileSync(join(layout, 'index.json'), json({ schemaVersion: 2, manifests }));
  const archive = join(place, 'image.tar');
  execFileSync('tar', ['-C', layout, '-cf', archive, '.']);
  return archive;
}

function addBlob(blobs: string, content: Buffer, tar?: string): { digest: string; size: number } {
  const digest = createHash('sha256').update(content).digest('hex');
  const file = join(blobs, digest);
  try {
    if (tar === undefined) throw new Error('a text');
    linkSync(tar, file);
  } catch {
    writeFileSync(file, content);
  }
  return { digest: `sha256:${digest}`, size: statSync(file).size };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
