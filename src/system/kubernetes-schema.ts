import { z } from 'zod';

/** Names of Kubernetes objects: DNS labels. */
const objectName = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
    'use lower-case letters, digits, dots and dashes',
  );

const routeParent = z.strictObject({
  name: objectName.describe('The name of the Gateway or Service.'),
  namespace: objectName.optional().describe('Its namespace, if it is not that of the system.'),
  sectionName: objectName.optional().describe('One listener of the Gateway.'),
  kind: z
    .enum(['Gateway', 'Service'])
    .default('Gateway')
    .describe('`Gateway`, or `Service` for a mesh that follows GAMMA.'),
});

/** The cluster in which lanes run, for services that are deployed there. */
export const kubernetesSchema = z.strictObject({
  namespace: objectName.default('default').describe('The namespace of the system.'),
  context: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The context of the kubeconfig; default: the current one, or the pod that Surety runs in.',
    ),
  address: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Where pods reach this machine. Default: its address on the network of the baseline’s pods.',
    ),
  routes: z
    .array(routeParent)
    .default([])
    .describe(
      'Gateways that also route requests with the key of a lane: one HTTPRoute or GRPCRoute per lane and service.',
    ),
});

/** How the candidate of one service runs in the cluster. */
export const podSchema = z.strictObject({
  deployment: objectName.describe('The Deployment that its candidates are derived from.'),
  container: objectName.optional().describe('The container that runs it; default: the first.'),
  manifest: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A file of the repository with the Deployment. Candidates follow the file of their version, so that ' +
        'changed limits, variables and probes are tried out. Default: the Deployment in the cluster.',
    ),
  image: z.string().min(1).optional().describe('The name of its image without a tag, for `build`.'),
  build: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A command that builds the image named by SURETY_IMAGE from the checkout it runs in, and puts it where ' +
        'the nodes pull from. It runs as the owner. Without it, candidates use the image of the Deployment.',
    ),
  hostnames: z.array(z.string().min(1)).default([]).describe('Host names of its routes.'),
});

export type KubernetesConfig = z.output<typeof kubernetesSchema>;
export type PodConfig = z.output<typeof podSchema>;
