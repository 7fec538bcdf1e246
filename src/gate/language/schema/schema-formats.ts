/** The checked formats; a schema with another one is refused. Each check is fast. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': isDateTime,
  email: (text) =>
    text.length <= 254 && /^[^\s@"(),:;<>[\]\\]{1,64}@[A-Za-z0-9.-]{1,189}$/.test(text),
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: (text) => URL.canParse(`http://[${text}]`) && /^[0-9A-Fa-f:.]+$/.test(text),
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(text) && URL.canParse(text),
  uuid: (text) => /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(text),
};

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return year !== '' && Number(month) >= 1 && Number(month) <= 12 && inDays(day, lastDay);
}

function inDays(day: string, lastDay: number): boolean {
  return Number(day) >= 1 && Number(day) <= lastDay;
}

/** RFC 3339 with a zone: without one, a time is a different moment in every place. */
function isDateTime(text: string): boolean {
  const time =
    /^[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
  return isDate(text.slice(0, 10)) && time.test(text.slice(10));
}

function isHostname(text: string): boolean {
  const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
  return text.length <= 253 && text.split('.').every((part) => label.test(part));
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return (
    parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  );
}
