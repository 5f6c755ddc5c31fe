import { describe, expect, it } from 'vitest';
import { providerPath, signInPath } from './sign-in-path.ts';

describe('the path to a provider', () => {
  it('names the page to return to, without an invitation token', () => {
    expect(providerPath('example', '/invitation#token')).toBe(
      '/console/oidc/example/start?return_to=%2Finvitation',
    );
    expect(providerPath('example', '/history?q=a&status=denied')).toBe(
      '/console/oidc/example/start?return_to=%2Fhistory%3Fq%3Da%26status%3Ddenied',
    );
  });
});

describe('the path to sign-in', () => {
  it('names the page to return to, unless that is the inbox or sign-in itself', () => {
    expect(signInPath('/approve/int_1?x=1#y')).toBe('/sign-in?return_to=%2Fapprove%2Fint_1%3Fx%3D1%23y');
    expect(signInPath('/inbox')).toBe('/sign-in');
    expect(signInPath('/')).toBe('/sign-in');
    expect(signInPath('/sign-in?return_to=%2Finbox')).toBe('/sign-in');
  });
});
