import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { isExactly } from './exact-number.ts';

const isExact = (spelling: string): boolean => isExactly(spelling, Number(spelling));

/**
 * An independent check with exact fractions. Compares the spelling with the double's own spelling, both as integers
 * over a power of ten.
 */
function isExactByFractions(spelling: string): boolean {
  const [one, other] = [toFraction(spelling), toFraction(String(Number(spelling)))];
  return one.above * other.below === other.above * one.below;
}

function toFraction(spelling: string): { above: bigint; below: bigint } {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(spelling) ?? [];
  const above = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const power = Number(exponent) - fraction.length;
  return power >= 0
    ? { above: above * 10n ** BigInt(power), below: 1n }
    : { above, below: 10n ** BigInt(-power) };
}

describe('a number in JSON', () => {
  it.each(['0', '-0', '0.000e99', '0.1', '1.0', '1e2', '100.50', '-1.50E+2', '5e-324', '0.00005e-319'])(
    'is exact when spelled %s, because that has the value of the double’s shortest spelling',
    (spelling) => {
      expect(isExact(spelling)).toBe(true);
    },
  );

  it.each([
    '100.00000000000000001',
    '0.30000000000000004441',
    '9007199254740991.4',
    '9007199254740993.0',
    '1e-400',
    '4.9e-324',
    '3e-324',
    '0.1000000000000000055511151231257827021181583404541015625',
    '-1.00000000000000000000000001',
    '1e400',
  ])('is not exact when spelled %s', (spelling) => {
    expect(isExact(spelling)).toBe(false);
  });

  it('is exact in any spelling that exact fractions confirm', () => {
    const digits = (most: number) =>
      fc
        .array(fc.constantFrom(...'00013459'), { minLength: 1, maxLength: most })
        .map((each) => each.join(''));
    const spelled = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.oneof(
          fc.constant('0'),
          digits(20).map((text) => `1${text}`),
        ),
        fc.option(digits(25)),
        fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 330 }))),
      )
      .map(([sign, whole, fraction, exponent]) =>
        [sign, whole, fraction === null ? '' : `.${fraction}`, exponent?.join('') ?? ''].join(''),
      )
      .filter((spelling) => Number.isFinite(Number(spelling)));
    const respelled = fc
      .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.nat(20))
      .map(([value, zeros]) => {
        const [mantissa = '', exponent] = String(value).split('e');
        const point = mantissa.includes('.') ? '' : '.0';
        return `${mantissa}${point}${'0'.repeat(zeros)}${exponent === undefined ? '' : `e${exponent}`}`;
      });
    const nearby = fc
      .tuple(respelled, fc.constantFrom(...'1459'))
      .map(([spelling, digit]) => spelling.replace(/(?=e|$)/, digit));
    fc.assert(
      fc.property(fc.oneof(spelled, respelled, nearby), (spelling) => {
        expect(isExact(spelling)).toBe(isExactByFractions(spelling));
      }),
      { numRuns: 5000 },
    );
  });

  it('is exact in its shortest spelling, and in no longer one that rounds to it', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => value !== 0),
        (value) => {
          expect(isExact(String(value))).toBe(true);
          // Twenty digits more than any double needs to be unique.
          const [mantissa = '', exponent] = value.toExponential(20).split('e');
          const longer = `${mantissa}00000000000000000001e${exponent}`;
          expect(isExact(longer)).toBe(false);
        },
      ),
    );
  });
});

describe('a hostile spelling of a number', () => {
  const MANY = 200_000;

  it.each([
    ['an exponent larger than any memory', '1e999999999', false],
    ['a zero with such an exponent', '0e999999999', true],
    ['an exponent of many digits', `1e${'9'.repeat(MANY)}`, false],
    ['a negative exponent of that size', `1e-${'9'.repeat(MANY)}`, false],
    ['many leading zeros', `0.${'0'.repeat(MANY)}1e${MANY + 1}`, true],
    ['many trailing zeros', `1.${'0'.repeat(MANY)}`, true],
    ['many zeros in between', `1.${'0'.repeat(MANY)}1`, false],
    ['many digits', `0.${'123456789'.repeat(MANY / 10)}`, false],
    ['many zeros before a digit, again and again', `0.${`${'0'.repeat(1000)}1`.repeat(MANY / 1000)}`, false],
  ])('%s is judged without writing the number out', (_name, spelling, exact) => {
    const value = Number(spelling);
    // An implementation that wrote the number out would call these. Its work would grow with the exponent, not with the
    // text.
    const refused = () => {
      throw new Error('the number was written out');
    };
    vi.stubGlobal('BigInt', refused);
    const spies = (['repeat', 'padEnd', 'padStart'] as const).map((name) =>
      vi.spyOn(String.prototype, name).mockImplementation(refused),
    );
    try {
      expect(isExactly(spelling, value)).toBe(exact);
    } finally {
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllGlobals();
    }
  });
});
