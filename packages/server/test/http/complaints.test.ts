import { expect, test } from 'vitest';
import { GateError } from '../../src/gate/kernel/errors.ts';
import { complainTo } from '../../src/http/log/complaints.ts';

const away = (why: string) =>
  new GateError('service_unavailable', 'away', { retry_after_seconds: 1 }, { cause: new Error(why) });

test('while the database is down, each chore logs its failure only now and then, with the number of omitted lines', () => {
  const lines: unknown[] = [];
  let now = 0;
  const complain = complainTo({ error: (...line: unknown[]) => void lines.push(line) }, () => now);
  const refused = away('refused');
  complain(refused, 'sweep failed');
  for (; now < 30_000; now += 1000) complain(refused, 'sweep failed');
  complain(refused, 'nothing was sealed');
  const last = away('refused again');
  complain(last, 'sweep failed');
  expect(lines).toEqual([
    [{ err: refused }, 'sweep failed'],
    [{ err: refused }, 'nothing was sealed'],
    [{ err: last, unsaid: 30 }, 'sweep failed'],
  ]);
});

test('every other failure is logged each time', () => {
  const lines: unknown[] = [];
  const complain = complainTo({ error: (...line: unknown[]) => void lines.push(line) }, () => 0);
  const damaged = new Error('damaged');
  complain(damaged, 'sweep failed');
  complain(damaged, 'sweep failed');
  expect(lines).toEqual([
    [{ err: damaged }, 'sweep failed'],
    [{ err: damaged }, 'sweep failed'],
  ]);
});
