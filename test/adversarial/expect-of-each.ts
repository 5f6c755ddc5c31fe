import { expect } from 'vitest';

/**
 * Holds every row of a table to the same expectations, and fails with the names of all that do not meet them.
 *
 * @param rows each begins with its name
 */
export async function expectOfEach<Row extends readonly [name: unknown, ...rest: unknown[]]>(
  rows: readonly Row[],
  hold: (...row: [...Row]) => Promise<void>,
): Promise<void> {
  expect(rows).not.toEqual([]);
  const failures: string[] = [];
  for (const row of rows) {
    try {
      await hold(...row);
    } catch (error) {
      failures.push(`${row[0]}: ${error instanceof Error ? error.message : error}`);
    }
  }
  expect(failures).toEqual([]);
}
