import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runSuite } from './run-suite.ts';

/** None of these scenarios of the whole suite may be an expected failure. */
const MUST_PASS = /^(server-|ping|logging-|tools-(list|call-)|json-schema|elicitation-|dns-)/;

test('the official conformance suite passes, except what is listed with its reason', async () => {
  const { code, output } = await runSuite();
  expect(output, output).toContain('✓ tools-call-elicitation: 1 passed');
  expect(code, output).toBe(0);
});

test('no failure is expected for tools, transport, elicitation or security', () => {
  const { server } = parse(readFileSync(join(import.meta.dirname, 'expected-failures.yml'), 'utf8')) as {
    server: string[];
  };
  expect(server.filter((scenario) => MUST_PASS.test(scenario))).toEqual([]);
});
