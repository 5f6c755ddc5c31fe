import { describe, expect, it } from 'vitest';
import { providerPath, returnPath, signInPath } from './sign-in-path.ts';

const ORIGIN = 'https://gate.example';

describe('the way over a provider', () => {
  it('leads back to the page, and takes no token of an invitation along', () => {
    expect(providerPath('example', '/invitation#token')).toBe(
      '/console/oidc/example/start?return_to=%2Finvitation',
    );
    expect(providerPath('example', '/history?q=a&status=denied')).toBe(
      '/console/oidc/example/start?return_to=%2Fhistory%3Fq%3Da%26status%3Ddenied',
    );
  });
});

describe('the way back from sign-in', () => {
  it.each([
    ['/approve/int_1', '/approve/int_1'],
    ['/projects/prj_1/audit?type=intent.created', '/projects/prj_1/audit?type=intent.created'],
    ['/invitation#token', '/invitation#token'],
  ])('leads to %s', (wanted, path) => {
    expect(returnPath(wanted, ORIGIN)).toBe(path);
  });

  it.each([
    null,
    '',
    'inbox',
    'https://evil.example/',
    '//evil.example/',
    '///evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/\n//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/sign-in?return_to=/sign-in',
  ])('never leads elsewhere: %j', (wanted) => {
    expect(returnPath(wanted, ORIGIN)).toBe('/inbox');
  });

  it('is remembered, but not where it is the inbox anyway', () => {
    expect(signInPath('/approve/int_1?x=1#y')).toBe('/sign-in?return_to=%2Fapprove%2Fint_1%3Fx%3D1%23y');
    expect(signInPath('/inbox')).toBe('/sign-in');
    expect(signInPath('/')).toBe('/sign-in');
    expect(signInPath('/sign-in?return_to=%2Finbox')).toBe('/sign-in');
  });
});
