/** Formats that a reader may rely on; the first that matches counts. */
const formats: readonly (readonly [format: string, pattern: RegExp])[] = [
  ['empty', /^$/],
  ['uuid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i],
  ['date-time', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['local date', /^\d{1,2}[./]\d{1,2}[./]\d{2,4}$/],
  ['whole number', /^-?\d{1,40}$/],
  ['decimal number', /^-?\d{1,40}\.\d{1,40}$/],
  ['grouped number', /^-?\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?$/],
  ['truth value', /^(?:true|false)$/i],
  ['address of mail', /^[^\s@]{1,64}@[^\s@]{1,255}$/],
  ['address', /^[a-z][a-z0-9+.-]{1,20}:\/\/\S{1,2000}$/i],
  ['id with a prefix', /^[a-z]{2,12}_[\w-]{4,80}$/i],
  ['hexadecimal', /^(?=.*\d)[0-9a-f]{8,128}$/i],
  ['word', /^[A-Za-z][\w.-]{0,39}$/],
];

const textCharsMax = 2_100;

export function textFormatOf(text: string): string {
  if (text.length > textCharsMax) return 'text';
  return formats.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

/** Prose has no format, and a word only has one as a value of an enumeration. */
export function isStrict(format: string): boolean {
  return format !== 'text' && format !== 'word' && format !== 'empty';
}
