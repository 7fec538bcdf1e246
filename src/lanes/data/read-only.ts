/** An address of a Postgres at which nothing can be written by mistake. */
export function readOnly(url: string): string {
  const setting = `options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
  return `${url}${url.includes('?') ? '&' : '?'}${setting}`;
}
