/** Variables that look like settings. */
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { OTHER_NAMES } from '../../src/settings/unknown-settings.ts';
import { problemsWith } from './problems-with.ts';

test.each([
  ['PERMITRY_DATABSE_URL', 'PERMITRY_DATABASE_URL'],
  ['PERMITRY_SMTP_URL_FIEL', 'PERMITRY_SMTP_URL_FILE'],
  ['PERMITRY_METRICS_TOKEN_FLE', 'PERMITRY_METRICS_TOKEN_FILE'],
  ['PERMITRY_BACKUPKEY', 'PERMITRY_BACKUP_KEY'],
])('%s is refused, and the error names the setting that was probably meant', (name, meant) => {
  expect(problemsWith({ [name]: 's3cret' })).toEqual([`${name} is not a setting. Did you mean ${meant}?`]);
});

test('a PERMITRY_ variable that resembles no setting is refused too', () => {
  expect(problemsWith({ PERMITRY_COLOUR_OF_THE_PAGES: 'blue' })).toEqual([
    'PERMITRY_COLOUR_OF_THE_PAGES is not a setting; unset it, or see docs/running.md',
  ]);
});

test.each([...OTHER_NAMES, 'PERMITRY_TEST_POSTGRES', 'PERMITRYX', 'PATH'])(
  '%s is not a setting of the gate and is ignored',
  (name) => {
    expect(problemsWith({ [name]: 'x' })).toEqual([]);
  },
);

test('variables that Kubernetes sets for services called permitry and permitry-… are ignored', () => {
  const links = {
    PERMITRY_SERVICE_HOST: '10.0.0.1',
    PERMITRY_SERVICE_PORT: '8787',
    PERMITRY_SERVICE_PORT_HTTP: '8787',
    PERMITRY_PORT: 'tcp://10.0.0.1:8787',
    PERMITRY_PORT_8787_TCP: 'tcp://10.0.0.1:8787',
    PERMITRY_PORT_8787_TCP_PROTO: 'tcp',
    PERMITRY_PORT_8787_TCP_PORT: '8787',
    PERMITRY_PORT_8787_TCP_ADDR: '10.0.0.1',
    PERMITRY_DATABASE_SERVICE_HOST: '10.0.0.2',
    PERMITRY_DATABASE_PORT: 'tcp://10.0.0.2:5432',
    PERMITRY_DATABASE_PORT_5432_TCP_ADDR: '10.0.0.2',
    PERMITRY_METRICS_PORT: 'tcp://10.0.0.3:9187',
  };
  const { port, metricsPort } = readConfig(links);
  expect({ port, metricsPort }).toEqual({ port: 8787, metricsPort: null });
  expect(readConfig(links, { PERMITRY_PORT: '9000' }).port).toBe(9000);
  // A port that the operator sets is still checked.
  expect(problemsWith({ ...links, PERMITRY_PORT: 'tcp' })).toEqual([
    expect.stringMatching(/^PERMITRY_PORT must/),
  ]);
});
