import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { debianDirectory } from './binaries.ts';

/** Addresses of the node, in a network namespace of its own: they collide with nothing. */
export const nodeAddress = '10.199.0.1';
export const podNetwork = '10.200.0.0/16';
export const serviceNetwork = '10.201.0.0/16';
export const apiServer = `https://${nodeAddress}:6443`;
const token = 'test-cluster-owner';

export interface NodeFiles {
  readonly root: string;
  readonly kubeconfig: string;
  readonly tokens: string;
  readonly accountKey: string;
  readonly containerdConfig: string;
  readonly containerdSocket: string;
  readonly kubeletConfig: string;
  /** Programs that others look for by name. */
  readonly programs: string;
}

/** Everything that the programs of the node read, in one directory that may be deleted. */
export function writeNodeFiles(root: string): NodeFiles {
  const files: NodeFiles = {
    root,
    kubeconfig: join(root, 'kubeconfig'),
    tokens: join(root, 'tokens.csv'),
    accountKey: join(root, 'account.key'),
    containerdConfig: join(root, 'containerd.toml'),
    containerdSocket: join(root, 'containerd.sock'),
    kubeletConfig: join(root, 'kubelet.json'),
    programs: join(root, 'programs'),
  };
  for (const folder of ['programs', 'cni', 'kubelet', 'certificates', 'manifests']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(files.kubeconfig, JSON.stringify(kubeconfig()), { mode: 0o600 });
  writeFileSync(files.tokens, `${token},owner,owner,"system:masters"\n`, { mode: 0o600 });
  writeFileSync(files.accountKey, makeKey(), { mode: 0o600 });
  writeFileSync(files.containerdConfig, containerdConfig(files));
  writeFileSync(files.kubeletConfig, JSON.stringify(kubeletConfig(files)));
  writeFileSync(join(root, 'cni', '10-bridge.conflist'), JSON.stringify(bridgeNetwork));
  linkPrograms(files);
  return files;
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function kubeconfig(): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: apiServer, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'owner', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'owner' } }],
  };
}

/** `restrict_oom_score_adj`: a container in a container may not lower its score. */
function containerdConfig({ root, containerdSocket }: NodeFiles): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  const runc = `${cri}.containerd.runtimes.runc`;
  return `version = 2
root = "${root}/containerd"
state = "${root}/containerd-state"
[grpc]
  address = "${containerdSocket}"
[${cri}]
  sandbox_image = "surety.test/pause:1"
  restrict_oom_score_adj = true
  [${cri}.cni]
    bin_dir = "${debianDirectory}/usr/lib/cni"
    conf_dir = "${root}/cni"
  [${runc}]
    runtime_type = "io.containerd.runc.v2"
    [${runc}.options]
      BinaryName = "${debianDirectory}/usr/sbin/runc"
`;
}

/** `failCgroupV1`: this also runs on machines whose cgroups are of the first version. */
function kubeletConfig({ root, containerdSocket }: NodeFiles): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: '/surety-test-cluster',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    failCgroupV1: false,
    failSwapOn: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
    },
    localStorageCapacityIsolation: false,
    staticPodPath: join(root, 'manifests'),
    resolvConf: '',
    clusterDomain: 'cluster.local',
    syncFrequency: '5s',
    nodeStatusUpdateFrequency: '5s',
    registryPullQPS: 0,
    serializeImagePulls: false,
  };
}

const bridgeNetwork = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods0',
      isGateway: true,
      hairpinMode: true,
      ipMasq: false,
      ipam: {
        type: 'host-local',
        ranges: [[{ subnet: podNetwork }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

function linkPrograms({ programs }: NodeFiles): void {
  const multi = join(debianDirectory, 'usr/sbin/xtables-legacy-multi');
  const names = ['iptables', 'iptables-save', 'iptables-restore'];
  const all = [...names, ...names.map((name) => name.replace('ip', 'ip6'))];
  for (const name of all) {
    const link = join(programs, name);
    if (!existsSync(link)) symlinkSync(multi, link);
  }
}
