import { fault } from '../../../kernel/index.ts';
import { daemonManifests, formatManifests } from '../../../kubernetes/index.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const { kubernetes } = loadConfig(place);
  if (!kubernetes) throw fault('KUBERNETES_UNCONFIGURED', {});
  const manifests = daemonManifests({
    namespace: kubernetes.namespace,
    daemonNamespace: String(options.daemonNamespace ?? 'surety'),
    account: String(options.account ?? 'surety'),
    hasRoutes: kubernetes.routes.length > 0,
  });
  output.value({ manifests });
  if (!output.json) await output.raw(formatManifests(manifests));
  return undefined;
};
