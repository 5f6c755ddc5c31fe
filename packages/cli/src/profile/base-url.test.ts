import { describe, expect, test } from 'vitest';
import { CommandFailure } from '../command-failure.ts';
import { toBaseUrl } from './base-url.ts';

describe('toBaseUrl', () => {
  test.each([
    ['https://gate.example.org', 'https://gate.example.org'],
    ['https://gate.example.org/v1/', 'https://gate.example.org'],
    ['HTTPS://Gate.example.org/permitry/v1', 'https://gate.example.org/permitry'],
    ['http://gate', 'http://gate'],
    ['gate.example.org', 'https://gate.example.org'],
    ['gate.example.org:8443/v1', 'https://gate.example.org:8443'],
    ['gate:8787', 'https://gate:8787'],
    ['192.0.2.7', 'https://192.0.2.7'],
    ['[2001:db8::7]:8787', 'https://[2001:db8::7]:8787'],
    ['localhost.example.org', 'https://localhost.example.org'],
    ['localhost', 'http://localhost'],
    ['localhost:8787', 'http://localhost:8787'],
    ['127.0.0.1:8787/v1', 'http://127.0.0.1:8787'],
    ['[::1]:8787', 'http://[::1]:8787'],
  ])('reads %s', (text, url) => {
    expect(toBaseUrl(text)).toBe(url);
  });

  test.each([
    'notaurl',
    'notaurl/v1.2',
    '/etc/gate.conf',
    'ftp://gate.example.org',
    'javascript:alert(1)',
    'ann:secret@gate.example.org',
    'ann@localhost',
    'https://gate.example.org/?key=1',
    'gate.example.org#there',
    'https://',
    '',
  ])('refuses %j and shows how to write an address', (text) => {
    const read = () => toBaseUrl(text);
    expect(read).toThrow(CommandFailure);
    expect(read).toThrow(/is not the address of a gate. Write it like https:\/\/gate\.example\.org/);
  });
});
