import type { ProgramCall } from './program.ts';

/**
 * Files from which programs take settings, and with them code or addresses. A call that writes one
 * and then runs such a program decides what the program does.
 */
const settings: readonly (readonly [programs: RegExp, files: RegExp])[] = [
  [
    /^(?:npm|pnpm|yarn|bun|bun-packages|npx|pnpx|bunx|corepack)$/,
    /\/(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|pnpm-workspace\.yaml|package\.json|bunfig\.toml|\.yarn\/.*|\.corepack\.env)$/,
  ],
  [
    /^(?:git|gh|glab|hub|pre-commit|husky|lint-staged)$/,
    /\/(?:\.gitmodules|\.gitattributes|\.gitconfig|\.lfsconfig|\.husky\/.*|\.githooks\/.*|\.git\/(?!info\/exclude).*|\.pre-commit-config\.yaml|lefthook\.yml)$/,
  ],
  [
    /^(?:pip3?|uv|uvx|poetry|pdm|pipenv|hatch|rye|pipx|tox|nox|conda|mamba)$/,
    /\/(?:requirements[^/]*|constraints[^/]*\.txt|pyproject\.toml|setup\.(?:py|cfg)|pip\.conf|uv\.toml|poetry\.toml|Pipfile(?:\.lock)?|[^/]*\.ya?ml|\.pypirc)$/,
  ],
  [
    /^(?:terraform|tofu|terragrunt|tflint|cdktf|packer)$/,
    /\.(?:tf|tfvars|hcl|tf\.json)$|\/\.terraform(?:rc|\/.*)$/,
  ],
  [
    /^(?:curl|wget2?|aria2c|ssh|scp|sftp|rsync|gpg|openssl|less|vim?|psql|sqlite3|mysql|mariadb|rg|bat)$/,
    /\/\.(?:curlrc|wgetrc|netrc|lesskey|vimrc|exrc|psqlrc|sqliterc|my\.cnf|ripgreprc|inputrc)$|\/\.(?:ssh|gnupg|config)\//,
  ],
  [
    /^(?:kubectl|oc|k|helm|helmfile|kustomize|skaffold|tilt|argocd|flux)$/,
    /\/(?:\.?kubeconfig|kustomization\.ya?ml|Chart\.ya?ml|plugin\.yaml|skaffold\.ya?ml|Tiltfile|helmfile\.ya?ml|[^/]*\.kube\/.*)$/,
  ],
  [
    /^(?:cargo|rustc|rustup|cross|trunk|wasm-pack)$/,
    /\/(?:Cargo\.toml|build\.rs|rust-toolchain(?:\.toml)?|\.cargo\/.*)$/,
  ],
  [
    /^(?:go|golangci-lint|buf|sqlc|air)$/,
    /\/(?:go\.mod|go\.work|buf\.gen\.yaml|sqlc\.ya?ml|\.air\.toml|\.golangci\.\w+|vendor\/.*)$/,
  ],
  [
    /^(?:bundle|bundler|gem|rake|rails|rspec|ruby|pod|fastlane)$/,
    /\/(?:Gemfile(?:\.lock)?|Rakefile|\.gemrc|\.rspec|\.bundle\/.*|Podfile)$/,
  ],
  [
    /^(?:composer|php|artisan|phpunit|pest)$/,
    /\/(?:composer\.json|php\.ini|\.user\.ini|phpunit\.xml)$/,
  ],
  [/^(?:ansible|ansible-playbook|ansible-lint)$/, /\/ansible\.cfg$|\.ya?ml$/],
  [/^(?:direnv|mise|asdf|nvm|fnm)$/, /\/(?:\.envrc|\.?mise\.toml|\.tool-versions)$/],
  [
    /^(?:aws|gcloud|az|cdk|pulumi|sam|serverless|sls|wrangler|vercel|netlify|firebase|supabase|fly|flyctl)$/,
    /\/(?:cdk\.json|Pulumi[^/]*\.ya?ml|serverless\.ya?ml|template\.ya?ml|wrangler\.(?:toml|jsonc?)|vercel\.json|netlify\.toml|firebase\.json|fly\.toml)$|\/\.aws\//,
  ],
];

/** Commands that only print, and may print into such a file themselves. */
const reporting =
  /^(?:git (?:add|status|diff|rm|mv|ls-files)|pip3? (?:freeze|list|show|check)|(?:uv|poetry) export)$/;

/** Holds a call that writes the settings of a program before it runs the program. */
export function checkOwnSettings({ name, args, shell }: ProgramCall): undefined {
  if (reporting.test(`${name} ${args[0]?.text}`)) return;
  for (const [programs, files] of settings) {
    const own = programs.test(name) ? shell.ownFile(files) : undefined;
    if (own !== undefined) shell.unresolved(`${name} runs after the same command wrote ${own}`);
  }
}
