import { GateError } from '@permitry/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CommandFailure } from './command-failure.ts';
import { reportFailure } from './report-failure.ts';

async function told(cause: Error): Promise<string> {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const error = new GateError('service_unavailable', 'Away.', { retry_after_seconds: 1 }, { cause });
  expect(await reportFailure(error, { json: true })).toBe(1);
  return JSON.parse(String(written.mock.lastCall?.[0])).error.message;
}

test.each([
  [new Error('no'), 'Away. The reason: no.'],
  [new Error('lost', { cause: new Error('too many clients') }), 'Away. The reason: too many clients.'],
  [
    new AggregateError([new Error('connect ECONNREFUSED ::1'), new Error('connect ECONNREFUSED 127.0.0.1')]),
    'Away. The reason: connect ECONNREFUSED ::1.',
  ],
])('the innermost cause of a failure is reported', async (cause, sentence) => {
  expect(await told(cause)).toBe(sentence);
});

test('a missing database password is explained', async () => {
  const driver = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
  expect(await told(driver)).toMatch(
    /the database server asks for a password, and none is set\. Set PERMITRY_DATABASE_URL/,
  );
});

test('text quoted in a failure cannot control a terminal, and a program reads it unchanged', async () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const error = new CommandFailure(1, 'There is no member "\u001b[2J\u202eann".\nSee: permitry member list');
  await reportFailure(error, { json: false });
  expect(written.mock.lastCall?.[0]).toContain(
    'There is no member "\\u{1b}[2J\\u{202e}ann".\nSee: permitry member list\n',
  );
  await reportFailure(error, { json: true });
  const line = String(written.mock.lastCall?.[0]);
  expect(line.trimEnd()).not.toMatch(/\p{C}/u);
  expect(JSON.parse(line).error.message).toBe(error.message);
});
