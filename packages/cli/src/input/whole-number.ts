import { InvalidArgumentError } from 'commander';

/**
 * Reads an option that takes a whole number within these bounds.
 *
 * @example .option('--limit <n>', 'list so many', wholeNumber(1, 200))
 */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}
