import { describe, expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

const ORIGIN = 'https://gate.example';

describe('the way back after sign-in', () => {
  it.each([
    ['/approve/int_1', '/approve/int_1'],
    ['/projects/prj_1/audit?type=intent.created', '/projects/prj_1/audit?type=intent.created'],
    ['/invitation#token', '/invitation#token'],
    ['/a/../history', '/history'],
    ['/history?q=é f', '/history?q=%C3%A9%20f'],
    ['/ /evil.example', '/%20/evil.example'],
  ])('leads to %s', (wanted, path) => {
    expect(returnPath(wanted, ORIGIN)).toBe(path);
  });

  it.each([
    null,
    '',
    'inbox',
    'https://evil.example/',
    'https://gate.example/history',
    '//evil.example/',
    '///evil.example/',
    '/\\evil.example/',
    '/a\\..\\..\\evil.example',
    '/\t/evil.example/',
    '/\n//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/sign-in?return_to=/sign-in',
    '/a/../sign-in',
  ])('never leads elsewhere: %j', (wanted) => {
    expect(returnPath(wanted, ORIGIN)).toBe('/inbox');
  });
});
