type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Variables of the owner's shell that a program needs to find its interpreter, speak the user's
 * language and reach a package registry. Everything else, above all tokens and addresses, is
 * declared in surety.yaml or not passed on.
 */
const allowed: ReadonlySet<string> = new Set([
  'CI',
  'GOROOT',
  'HOME',
  'HTTPS_PROXY',
  'HTTP_PROXY',
  'JAVA_HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NO_PROXY',
  'PATH',
  'PYTHONPATH',
  'REQUESTS_CA_BUNDLE',
  'SHELL',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'TERM',
  'TZ',
  'USER',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'npm_config_registry',
]);

/** The part of an environment that a confined program inherits. */
export function inheritedBy(
  environment: Environment,
  further: readonly string[],
): Record<string, string> {
  const entries = Object.entries(environment).filter(
    ([name]) => allowed.has(name) || name.startsWith('LC_') || further.includes(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}
