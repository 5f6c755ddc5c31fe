import { describe, expect, it } from 'vitest';
import { baseUrlFor, ConfigError, readConfig } from '../../src/config.ts';

function problemsWith(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('has defaults that listen on this machine only', () => {
    expect(readConfig({ PATH: '/bin' })).toEqual({
      dataDir: './permitry-data',
      host: '127.0.0.1',
      port: 8787,
      baseUrl: null,
      rateLimitPerMinute: 10_000,
      logLevel: 'info',
      trustProxy: false,
      metricsToken: null,
      metricsPort: null,
      signingKeys: {
        keyEncryptionKey: null,
        previousKeyEncryptionKey: null,
        rotationDays: 90,
        pkcs11: null,
      },
    });
  });

  it('lets a flag win over the environment', () => {
    expect(readConfig({ PERMITRY_PORT: '1000' }, { PERMITRY_PORT: '2000' }).port).toBe(2000);
  });

  it.each([
    ['https://gate.example.org', 'https://gate.example.org'],
    ['https://gate.example.org/', 'https://gate.example.org'],
    ['https://gate.example.org/v1', 'https://gate.example.org'],
    ['https://example.org/gate/v1/', 'https://example.org/gate'],
    ['http://localhost:4000', 'http://localhost:4000'],
  ])('reads the base address %s as %s', (text, expected) => {
    expect(readConfig({ PERMITRY_BASE_URL: text }).baseUrl).toBe(expected);
  });

  it('derives the base address from the port that listens', () => {
    expect(baseUrlFor(readConfig({}), 4321)).toBe('http://localhost:4321');
    expect(baseUrlFor(readConfig({ PERMITRY_BASE_URL: 'https://g.example/v1' }), 4321)).toBe(
      'https://g.example',
    );
  });

  it.each([
    ['false', false],
    ['true', true],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback', ['loopback']],
  ])('reads whose forwarding is trusted: %s', (text, expected) => {
    expect(readConfig({ PERMITRY_TRUST_PROXY: text }).trustProxy).toEqual(expected);
  });

  it.each([
    ['PERMITRY_PORT', '65536'],
    ['PERMITRY_PORT', '80.5'],
    ['PERMITRY_PORT', '0x50'],
    ['PERMITRY_HOST', 'http://localhost'],
    ['PERMITRY_BASE_URL', 'gate.example.org'],
    ['PERMITRY_BASE_URL', 'ftp://gate.example.org'],
    ['PERMITRY_BASE_URL', 'https://user:pass@gate.example.org'],
    ['PERMITRY_BASE_URL', 'https://gate.example.org/?a=b'],
    ['PERMITRY_RATE_LIMIT_PER_MINUTE', '-1'],
    ['PERMITRY_RATE_LIMIT_PER_MINUTE', 'many'],
    ['PERMITRY_LOG_LEVEL', 'loud'],
    ['PERMITRY_TRUST_PROXY', 'yes'],
    ['PERMITRY_TRUST_PROXY', '10.0.0.0/33'],
    ['PERMITRY_METRICS_TOKEN', 'short'],
    ['PERMITRY_METRICS_PORT', '8787'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsWith({ [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  it('names all problems at once, and what a mistyped variable may have meant', () => {
    const problems = problemsWith({ PERMITRY_PROT: '80', PERMITRY_PORT: 'x', PERMITRY_HOST: '..' });
    expect(problems).toHaveLength(3);
    expect(problems[0]).toBe('PERMITRY_PROT is not a setting; did you mean PERMITRY_PORT?');
  });

  it('leaves variables alone that belong to somebody else', () => {
    expect(() => readConfig({ PERMITRY_API_KEY: 'prm_agent_test_x' })).not.toThrow();
  });
});
