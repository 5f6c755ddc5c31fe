/**
 * Whether an `Accept` header allows a media type (RFC 9110 §12.5.1). The most specific matching range decides, and
 * `q=0` refuses. Without the header, everything is allowed.
 *
 * @example accepts('text/html, application/*;q=0.5', 'application/statuslist+jwt') // true
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined || header.trim() === '') return true;
  const wanted = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const ranges = header.toLowerCase().split(',', MOST_RANGES).map(toRange);
  const best = wanted.map((name) => ranges.find((range) => range.name === name)).find(Boolean);
  return best !== undefined && best.weight > 0;
}

const MOST_RANGES = 64;

function toRange(text: string): { name: string; weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { name, weight: weight === undefined ? 1 : Number(weight.slice('q='.length)) };
}
