import { describe, expect, test } from 'vitest';
import { GateError } from '../../gate/kernel/errors.ts';
import { checkPassword } from './check-password.ts';

const EMAIL = 'ann.example@mail.example.org';

function isTaken(password: string): boolean {
  try {
    checkPassword(password, EMAIL);
    return true;
  } catch (error) {
    if (error instanceof GateError && error.code === 'invalid_fields') return false;
    throw error;
  }
}

describe('a password is accepted', () => {
  test.each([
    'four tame herons dance',
    'aaaabbbbcccc',
    '            x',
    'zwölf Käfer üben',
    'двенадцать месяцев',
    '十二个字的很长的密码才可以用',
    '💠🏔🎻🧵🪁🛶🧭🪐🧩🪶🧶🪵',
    'correct horse but no battery',
    'x'.repeat(3) + 'y'.repeat(197),
  ])('%s', (password) => {
    expect(isTaken(password)).toBe(true);
  });
});

describe('a password is refused', () => {
  test.each([
    ['too short', 'eleven char'],
    ['too short by characters, whatever the bytes', '💠🏔🎻🧵'],
    ['too long', `${'xy z'.repeat(50)}x`],
    ['common', 'passwordpassword'],
    ['common with digits', 'Password1234'],
    ['common with signs around', '!!letmein!!2026'],
    ['common in capitals', 'QWERTYUIOPASDFGHJKL'],
    ['a row of the keyboard', '1qaz2wsx3edc'],
    ['digits in a row', '123456789012'],
    ['digits backwards', '9876-5432-1098'],
    ['one character', '••••••••••••••'],
    ['a piece over and over', 'abcabcabcabc'],
    ['the address', 'Ann.Example@mail.example.org'],
    ['the name in the address with digits', 'ann.example2026'],
    ['the domain', 'mail.example.org'],
    ['the product', 'permitry123456'],
  ])('because it is %s: %s', (_why, password) => {
    expect(isTaken(password)).toBe(false);
  });
});

test('a password is returned in one form, however it was typed', () => {
  expect(checkPassword('\uff46our tame herons', EMAIL)).toBe('four tame herons');
  expect(checkPassword('cafe\u0301 on the hill', EMAIL)).toBe('caf\u00e9 on the hill');
});
