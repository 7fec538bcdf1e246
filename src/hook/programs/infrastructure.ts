import type { EffectKind } from '../effect.ts';
import { secretVariable } from '../secret-paths.ts';
import { type ExpandedWord, unknown } from '../shell/field.ts';
import { changes, docker } from './docker.ts';
import { connectsTo } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs } from './program.ts';
import { runsProject } from './project-code.ts';

interface Remote {
  readonly kind: EffectKind;
  /** Verbs that only read; anything else counts as a change. */
  readonly reading: RegExp;
  /** How many words make up the verb. */
  readonly depth?: number;
  readonly taking?: readonly string[];
  readonly also?: (call: ProgramCall, words: readonly ExpandedWord[]) => void;
}

/** Command lines of clouds and clusters: what is not known to read, changes something. */
function remote({ kind, reading, depth = 1, taking = [], also }: Remote): KnownProgram {
  return (call) => {
    const { name, args, shell } = call;
    const { operands, isUnclear, has } = sortArguments(args, taking);
    const words = operands.slice(0, depth).map(({ text }) => text);
    if (has('help', 'version', 'h') && operands.length <= depth) return undefined;
    if (
      operands.slice(0, depth).some(({ kind }) => kind !== 'exact') ||
      (isUnclear && operands.length === 0)
    )
      shell.unresolved(`the command of ${name} is not known`);
    also?.(call, operands);
    if (operands.length === 0 || reading.test(words.join(' '))) return unknown();
    changes(kind, `${name} ${operands.map(({ text }) => text).join(' ')}`, shell);
    return unknown();
  };
}

const kubectlTaking = nameList(`
  n namespace context cluster kubeconfig o output l selector f filename k kustomize c
  container tail since s server token user as field-selector sort-by p patch type
  image replicas timeout for template
`);

function kubectl(call: ProgramCall, words: readonly ExpandedWord[]): undefined {
  const { args, shell } = call;
  const { valuesOf, has } = sortArguments(args, [...kubectlTaking, 'address']);
  for (const { kind, text } of valuesOf('kubeconfig'))
    if (kind !== 'exact' || !/\/\.kube\/[\w.-]+$/.test(text))
      shell.unresolved('kubectl runs programs that another configuration names');
  for (const server of valuesOf('s', 'server')) connectsTo(server, shell);
  for (const { kind, text } of valuesOf('o', 'output')) {
    const [, file] = /^[\w-]+-file=(.*)$/s.exec(text) ?? [];
    if (file !== undefined) shell.reads({ kind, text: file });
  }
  if (valuesOf('address').some(({ text }) => !/^(?:localhost|127\.0\.0\.1)$/.test(text)))
    shell.unresolved('kubectl lets other machines connect');
  const verb = words[0]?.text ?? '';
  const isSecret =
    words.slice(1).some(({ text }) => /^secrets?(?:\/|$)/.test(text)) ||
    words.slice(1).some(({ text }) => text.split(',').some((part) => /^secrets?$/.test(part)));
  if (/^(?:get|describe)$/.test(verb) && isSecret && (has('o', 'output') || verb === 'describe'))
    shell.add({ kind: 'secret.read', values: { paths: ['kubernetes secret'] } });
  if (verb === 'config' && words[1]?.text === 'view' && has('raw'))
    shell.add({ kind: 'secret.read', values: { paths: ['kubeconfig'] } });
  if (
    verb === 'config' &&
    !/^(?:view|get-contexts|current-context|get-clusters|get-users)$/.test(words[1]?.text ?? '')
  )
    changes('cluster.change', `kubectl config ${words[1]?.text}`, shell);
  if (verb === 'get' && has('raw')) return;
}

function terraform({ name, args, shell }: ProgramCall): ExpandedWord | undefined {
  const { operands, valuesOf, options } = sortArguments(
    args,
    nameList(`
      chdir var var-file out target state backend-config lock lock-timeout parallelism
      refresh replace generate-config-out plugin-dir
    `),
    { singleDash: true },
  );
  const [verb, second] = operands;
  for (const file of valuesOf('out', 'generate-config-out')) shell.writes(file);
  for (const file of valuesOf('var-file')) shell.reads(file);
  for (const place of valuesOf('chdir')) shell.runFile(place, []);
  if (
    options.some(({ name: option }) => /^(?:plugin-dir|from-module|backend-config)$/.test(option))
  )
    shell.unresolved(`${name} takes code or state from elsewhere`);
  if (verb?.text === 'console') shell.unresolved(`${name} console reads files and evaluates text`);
  if (verb?.text === 'output' && args.some(({ text }) => secretVariable.test(text)))
    shell.add({ kind: 'secret.read', values: { paths: ['terraform output'] } });
  const isReading =
    /^(?:plan|show|validate|fmt|output|version|graph|providers|console|get|test|metadata|-version|--version|help|run-all plan)$/.test(
      verb?.text ?? '',
    ) ||
    (verb?.text === 'state' && /^(?:list|show|pull)$/.test(second?.text ?? '')) ||
    (verb?.text === 'workspace' && /^(?:list|show)$/.test(second?.text ?? ''));
  if (verb?.kind === 'unknown') shell.unresolved(`the command of ${name} is not known`);
  if (verb?.text === 'init' || verb?.text === 'get') {
    runsProject(shell);
    if (verb.text === 'init') return undefined;
  }
  if (verb?.text === 'output' && args.some(({ text }) => /^-(?:json|raw)/.test(text)))
    return undefined;
  if (verb?.text === 'plan')
    shell.add({ kind: 'infrastructure.plan', values: { operations: [`${name} plan`] } });
  if (!verb || isReading) return undefined;
  const plan = verb.text === 'apply' ? second : undefined;
  shell.add({
    kind: 'infrastructure.change',
    values: { operations: [`${name} ${verb.text}`], plans: plan ? [plan.text] : [] },
  });
  return undefined;
}

const cloudReading =
  /^(?:\S+ )*(?:describe|describe-\S+|list|list-\S+|get|get-\S+|ls|show|show-\S+|view|head-\S+|whoami|info|status|wait|help|filter-log-events|tail|lookup-events|batch-get-\S+|query|scan|select|estimate-\S+|simulate-\S+|validate-\S+|version|check|search|search-\S+|preview|presign|get-caller-identity|current|account|projects list|regions|sizes)(?: \S*)*$/;

function cloudSecrets({ args, shell }: ProgramCall, words: readonly ExpandedWord[]): undefined {
  const text = words.map((word) => word.text).join(' ');
  if (
    /^(?:heroku )?config(?::get)?\b|^variables\b|^secrets\b|secretsmanager get|get-secret-value|ssm get-parameters?|print-access-token|print-identity-token|keyvault secret show|get-access-token|versions access|configure get|export-credentials|get-login-password|get-session-token|assume-role|secret-manager/.test(
      text,
    ) ||
    args.some(({ text: flag }) => flag === '--with-decryption')
  ) {
    shell.add({ kind: 'secret.read', values: { paths: [text.slice(0, 200)] } });
  }
  for (const place of words)
    if (/^(?:\/|\.|~)/.test(place.text) && /\b(?:cp|sync|mv|rsync)\b/.test(text))
      shell.writes(place);
}

const cloud = (reading: RegExp = cloudReading, depth = 4): KnownProgram =>
  remote({
    kind: 'cloud.change',
    reading,
    depth,
    taking: nameList(`
      region profile output query project zone g resource-group n name filters filter
      format subscription o bucket key prefix stack-name function-name cluster
      log-group-name instance-ids location app a max-items context token t
    `),
    also: cloudSecrets,
  });

/** Without a command, it deploys. */
const deploying =
  (reading: RegExp): KnownProgram =>
  (call) => {
    if (!call.args.some(({ text }) => /^\w|^-(?:-help|-version|h|v)$/.test(text)))
      changes('cloud.change', `${call.name} deploys`, call.shell);
    return cloud(reading)(call);
  };

export const infrastructurePrograms: Programs = {
  kubectl: remote({
    kind: 'cluster.change',
    reading:
      /^(?:get|describe|logs|top|explain|version|api-resources|api-versions|cluster-info|config|diff|auth|wait|events|completion|port-forward|kustomize|plugin|options)$/,
    taking: kubectlTaking,
    also: kubectl,
  }),
  oc: remote({
    kind: 'cluster.change',
    reading: /^(?:get|describe|logs|whoami|status|explain|version|projects|project)$/,
    taking: kubectlTaking,
    also: kubectl,
  }),
  k: remote({
    kind: 'cluster.change',
    reading: /^(?:get|describe|logs|top|explain|version)$/,
    taking: kubectlTaking,
    also: kubectl,
  }),
  k9s: () => undefined,
  kubectx: remote({ kind: 'cluster.change', reading: /^$/ }),
  kubens: remote({ kind: 'cluster.change', reading: /^$/ }),
  stern: () => undefined,
  kustomize: remote({ kind: 'cluster.change', reading: /^(?:build|version|cfg|edit|create)$/ }),
  helm: remote({
    kind: 'cluster.change',
    reading:
      /^(?:list|ls|status|get|history|show|search|template|lint|version|env|dependency|dep|repo|pull|package|verify|create|test-none|diff|completion)$/,
    taking: nameList(`
      n namespace f values set set-string version kube-context kubeconfig o output
      timeout post-renderer
    `),
    also: ({ args, shell }, words) => {
      if (sortArguments(args).has('post-renderer', 'kubeconfig'))
        shell.unresolved('helm runs another program');
      for (const word of words) if (/^\w+:\/\//.test(word.text)) connectsTo(word, shell);
      for (const place of sortArguments(args, ['d', 'destination']).valuesOf('d', 'destination'))
        shell.writes(place);
    },
  }),
  argocd: remote({
    kind: 'cluster.change',
    reading:
      /^(?:app (?:get|list|diff|history|logs|manifests|resources|wait)|version \S*|version|cluster list|repo list|proj list)$/,
    depth: 2,
  }),
  flux: remote({
    kind: 'cluster.change',
    reading: /^(?:get|check|logs|tree|events|export|version|diff|stats|trace)$/,
  }),
  istioctl: remote({
    kind: 'cluster.change',
    reading: /^(?:analyze|proxy-status|ps|proxy-config|pc|version|describe|validate)$/,
  }),
  minikube: remote({
    kind: 'container.run',
    reading: /^(?:status|ip|logs|version|profile|service|dashboard|addons)$/,
  }),
  kind: remote({ kind: 'container.run', reading: /^(?:get|version|export)$/ }),
  k3d: remote({ kind: 'container.run', reading: /^(?:version|list)$/ }),
  skaffold: remote({
    kind: 'cluster.change',
    reading: /^(?:build|diagnose|render|version|schema|config)$/,
  }),
  tilt: remote({ kind: 'cluster.change', reading: /^(?:version|doctor|get|logs)$/ }),
  terraform,
  tofu: terraform,
  terragrunt: terraform,
  cdktf: remote({
    kind: 'infrastructure.change',
    reading: /^(?:synth|diff|list|get|output|init)$/,
  }),
  cdk: remote({
    kind: 'infrastructure.change',
    reading: /^(?:synth|synthesize|diff|list|ls|doctor|docs|notices|metadata|init|context)$/,
  }),
  pulumi: remote({
    kind: 'infrastructure.change',
    reading:
      /^(?:preview|pre|version|whoami|about|logs|stack (?:ls|output|graph|history)|stack|config|history)$/,
    depth: 2,
  }),
  ansible: remote({ kind: 'infrastructure.change', reading: /^$/ }),
  'ansible-playbook': ({ args, shell }) =>
    sortArguments(args).has('check', 'C', 'syntax-check', 'list-tasks', 'list-hosts')
      ? undefined
      : (changes('infrastructure.change', 'ansible-playbook', shell) as undefined),
  packer: remote({
    kind: 'infrastructure.change',
    reading: /^(?:validate|fmt|inspect|version|init)$/,
  }),
  vault: remote({
    kind: 'cloud.change',
    reading: /^(?:status|version|path-help)$/,
    also: ({ shell, args }) =>
      /^(?:read|kv|token|unwrap|print)$/.test(args[0]?.text ?? '')
        ? shell.add({ kind: 'secret.read', values: { paths: ['vault'] } })
        : undefined,
  }),
  aws: cloud(),
  gcloud: cloud(
    /^(?:.* )?(?:list|describe|info|version|get-value|get-server-config|read|tail|get-iam-policy|list-grantable-roles|print-settings|help)(?: \S*)*$/,
  ),
  gsutil: cloud(/^(?:ls|cat|du|stat|version|hash)(?: .*)?$/),
  bq: cloud(/^(?:ls|show|head|version)(?: .*)?$/),
  az: cloud(),
  doctl: cloud(),
  heroku: cloud(
    /^(?:logs|ps|apps|apps:info|config|releases|status|info|addons|domains|pg:info|version|help)(?: .*)?$/,
  ),
  fly: cloud(/^(?:status|logs|apps list|info|version|doctor|releases|regions|ips list)(?: .*)?$/),
  flyctl: cloud(
    /^(?:status|logs|apps list|info|version|doctor|releases|regions|ips list)(?: .*)?$/,
  ),
  vercel: deploying(/^(?:ls|list|inspect|logs|whoami|dev|build|link|pull|help|env ls)(?: .*)?$/),
  netlify: cloud(/^(?:status|dev|build|sites:list|open|env:list|logs)(?: .*)?$/),
  wrangler: cloud(
    /^(?:dev|tail|whoami|types|init|deployments list|kv:namespace list|pages dev)(?: .*)?$/,
  ),
  firebase: cloud(
    /^(?:emulators:\S+|serve|projects:list|apps:list|use$|open|functions:log)(?: .*)?$/,
  ),
  supabase: cloud(
    /^(?:start|stop|status|init|gen \S+|db diff|db lint|migration list|migration new|test .*|functions serve)(?: .*)?$/,
  ),
  railway: cloud(/^(?:status|logs|list|whoami|open|variables)(?: .*)?$/),
  sam: cloud(/^(?:build|validate|local \S+|logs|init|list)(?: .*)?$/),
  serverless: cloud(/^(?:offline|info|logs|print|package|invoke local)(?: .*)?$/),
  sls: cloud(/^(?:offline|info|logs|print|package|invoke local)(?: .*)?$/),
  eksctl: cloud(/^(?:get|version|info|utils describe-\S+)(?: .*)?$/),
  linode: cloud(),
  'linode-cli': cloud(),
  hcloud: cloud(),
  s3cmd: cloud(/^(?:ls|info|du|la)(?: .*)?$/),
  rclone: cloud(/^(?:ls\w*|size|version|about|check|listremotes)(?: .*)?$/),
  mc: cloud(/^(?:ls|stat|du|find|tree)(?: .*)?$/),
  docker,
  podman: docker,
  nerdctl: docker,
  'docker-compose': docker,
  'podman-compose': docker,
  buildah: docker,
  colima: remote({ kind: 'machine.change', reading: /^(?:status|list|version|start|stop)$/ }),
};
