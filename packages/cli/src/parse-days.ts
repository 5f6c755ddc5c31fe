import { InvalidArgumentError } from 'commander';

/** A whole number of days, at least this many. */
export function parseDays(text: string, least: number): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(days >= least && days <= 36_500)) {
    throw new InvalidArgumentError(`Give a whole number of days from ${least} to 36500.`);
  }
  return days;
}
