/**
 * How many there are, in words for people.
 *
 * @example counted(1, 'receipt') === '1 receipt'
 * @example counted(1200, 'unused permit') === '1,200 unused permits'
 */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
