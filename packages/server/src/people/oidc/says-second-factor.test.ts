import { expect, test } from 'vitest';
import { saysSecondFactor } from './says-second-factor.ts';

test.each([
  [['mfa'], true],
  [['pwd', 'mfa'], true],
  [['pwd', 'otp'], true],
  [['pin', 'hwk', 'user'], true],
  [['pwd'], false],
  [['otp'], false],
  [['pwd', 'sms'], false],
  [['pwd', 'pwd'], false],
  [['MFA'], false],
  [[['mfa']], false],
  [[], false],
  ['mfa', false],
  [{ mfa: true }, false],
  [null, false],
  [undefined, false],
])('whether the claim amr %j shows a second factor: %s', (amr, shown) => {
  expect(saysSecondFactor(amr)).toBe(shown);
});
