/** Escapes text for HTML or XML. Characters that XML can't hold become �. */
function escapeMarkup(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML can't hold.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '�')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
  );
}

/** A template that escapes its values, unless they are markup themselves. */
export function markup(texts: TemplateStringsArray, ...values: readonly Part[]): Markup {
  const parts = texts.map(
    (text, index) => text + (index < values.length ? escaped(values[index]) : ''),
  );
  return new Markup(parts.join(''));
}

export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | readonly Markup[] | undefined;

function escaped(value: Part): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(({ text }) => text).join('');
  return escapeMarkup(String(value ?? ''));
}
