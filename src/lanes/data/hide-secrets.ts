import { tryOr } from '../../kernel/index.ts';
/** A text without the passwords of these addresses, as written there or decoded. */
export function hideSecrets(text: string, addresses: readonly string[]): string {
  const secrets = addresses.flatMap((address) => {
    const [, password] = /^[^/]*\/\/[^/?#]*:([^@/]*)@/.exec(address) ?? [];
    return password ? [password, tryOr(() => decodeURIComponent(password), password)] : [];
  });
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
