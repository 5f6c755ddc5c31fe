/**
 * Spellings of parameters (RFC 8785, RFC 8259, RFC 7493) as JSON text, by what each tries. For the attack tool and the
 * adversarial tests.
 */

/** What is tried, the approved spelling, and the presented one: both mean the same parameters. */
export const SAME_PARAMETERS: readonly (readonly [string, string, string])[] = [
  ['members in another order', '{"a":1,"b":{"c":2,"d":[3,4]}}', '{"b":{"d":[3,4],"c":2},"a":1}'],
  [
    'members whose order by code unit is not that by code point',
    '{"\\uffee":1,"\\ud83d\\ude00":2}',
    '{"😀":2,"\uffee":1}',
  ],
  ['white space', '{"a":[1,2]}', ' {\n\t"a" : [ 1 ,\r\n2 ] } '],
  ['1 and 1.0', '{"a":1}', '{"a":1.0}'],
  ['1 and 1e0', '{"a":1}', '{"a":1e0}'],
  ['100 and 1E2', '{"a":100}', '{"a":1E2}'],
  ['0.5 and 5e-1', '{"a":0.5}', '{"a":5e-1}'],
  ['0 and -0', '{"a":0}', '{"a":-0}'],
  ['0 and -0.0e5', '{"a":0}', '{"a":-0.0e5}'],
  ['the greatest integer', '{"a":9007199254740991}', '{"a":9007199254740991.0}'],
  ['a letter and its escape', '{"a":"A"}', '{"a":"\\u0041"}'],
  ['a letter and its escape in a name', '{"a":1}', '{"\\u0061":1}'],
  ['a slash and its escape', '{"a":"/"}', '{"a":"\\/"}'],
  ['a tab and its escape', '{"a":"\\t"}', '{"a":"\\u0009"}'],
  ['an accent and its escape in either case', '{"a":"\\u00E9"}', '{"a":"é"}'],
  ['a surrogate pair and its character', '{"a":"\\ud83d\\ude00"}', '{"a":"😀"}'],
  ['all of it at once', '{"b":[1.0,"\\u00e9"],"a":{"z":-0}}', '{"a":{"z":0},"b":[1,"é"]}'],
  ['no parameters', '{}', '{ }'],
];

/** What is tried, the approved spelling, and the presented one: they mean different parameters. */
export const OTHER_PARAMETERS: readonly (readonly [string, string, string])[] = [
  ['one digit', '{"amount":500}', '{"amount":501}'],
  ['one byte of a text', '{"to":"acct_1"}', '{"to":"acct_2"}'],
  ['one byte of a name', '{"to":"x"}', '{"tp":"x"}'],
  ['the case of a letter', '{"to":"a"}', '{"to":"A"}'],
  ['a space behind', '{"to":"a"}', '{"to":"a "}'],
  ['a zero-width space', '{"to":"a"}', '{"to":"a\u200b"}'],
  ['a direction mark', '{"to":"a"}', '{"to":"\u202ea"}'],
  ['a Cyrillic а', '{"to":"a"}', '{"to":"\u0430"}'],
  ['NFC and NFD', '{"to":"\u00e9"}', '{"to":"e\u0301"}'],
  ['NFC and NFD in a name', '{"\u00e9":1}', '{"e\u0301":1}'],
  ['the Ångström sign and its letter', '{"to":"\u212b"}', '{"to":"\u00c5"}'],
  ['a text and a number', '{"a":1}', '{"a":"1"}'],
  ['a text and a boolean', '{"a":true}', '{"a":"true"}'],
  ['null and absent', '{"a":1,"b":null}', '{"a":1}'],
  ['absent and null', '{"a":1}', '{"a":1,"b":null}'],
  ['null and an empty text', '{"a":null}', '{"a":""}'],
  ['null and 0', '{"a":null}', '{"a":0}'],
  ['a list and an object', '{"a":[]}', '{"a":{}}'],
  ['a list of one and the one', '{"a":[1]}', '{"a":1}'],
  ['elements in another order', '{"a":[1,2]}', '{"a":[2,1]}'],
  ['a member more', '{"a":1}', '{"a":1,"max":9}'],
  ['a member less', '{"a":1,"max":9}', '{"a":1}'],
  ['a member moved inside', '{"a":1,"b":{}}', '{"b":{"a":1}}'],
  ['none', '{"a":1}', '{}'],
  ['a name that every object has', '{}', '{"constructor":1}'],
  ['the least fraction', '{"a":0.1}', '{"a":0.10000000000000002}'],
  ['an escape inside an escape', '{"a":"\\\\u0041"}', '{"a":"\\u0041"}'],
];

/** Numbers with digits that a double cannot hold, so that another reader sees another number. */
export const INEXACT_NUMBERS: readonly string[] = [
  '100.00000000000000001',
  '0.30000000000000004441',
  '9007199254740991.4',
  '9007199254740993.0',
  '-1.0000000000000000000001e2',
  '4.9e-324',
  '1e-400',
];

/** Numbers that are not in a double's usual spelling but have its exact value. */
export const EXACT_NUMBERS: readonly string[] = ['0.1', '1.0', '1e2', '100.50', '5e-324', '1.50E+2', '0.000'];

/** Parameters that two readers could understand differently. */
export const AMBIGUOUS_PARAMETERS: readonly (readonly [string, string])[] = [
  ['2^53 + 1', '{"a":9007199254740993}'],
  ['2^53', '{"a":9007199254740992}'],
  ['-2^53', '{"a":-9007199254740992}'],
  ['2^53 + 1 with a fraction of nothing', '{"a":9007199254740993.0}'],
  ['2^53 + 1 with an exponent', '{"a":9.007199254740993e15}'],
  ['a great number as an integer', '{"a":1e300}'],
  ['more than a double holds', '{"a":1e400}'],
  ['less than a double holds', '{"a":-1e400}'],
  ['nearer to zero than a double', '{"a":1e-400}'],
  ...INEXACT_NUMBERS.map((spelling) => [spelling, `{"a":${spelling}}`] as const),
  ['a name twice', '{"a":1,"a":1}'],
  ['a name twice with other values', '{"amount":1,"amount":1000000}'],
  ['a name twice, once escaped', '{"a":1,"\\u0061":2}'],
  ['a name twice, deep inside', '{"x":[{"y":{"a":1,"b":2,"a":3}}]}'],
  ['__proto__', '{"__proto__":{"amount":1}}'],
  ['__proto__ escaped', '{"\\u005f_proto__":{"amount":1}}'],
  ['a lone surrogate', '{"a":"\\ud83d"}'],
  ['a lone low surrogate in a name', '{"\\ude00":1}'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '{"a":-Infinity}'],
  ['hexadecimal', '{"a":0x10}'],
  ['a leading zero', '{"a":010}'],
  ['a leading plus', '{"a":+1}'],
  ['a comma too many', '{"a":1,}'],
  ['a comment', '{"a":1/*2*/}'],
  ['single quotes', "{'a':1}"],
  ['a raw control character', '{"a":"\u0001"}'],
];

/** Names close to `payments.refund`. */
export const OTHER_ACTIONS: readonly string[] = [
  'payments.refunds',
  'payments.Refund',
  'payments',
  'payments.refund.',
  'payments:refund',
  '',
  ' payments.refund',
  'payments.refund ',
  'payments.refund\n',
  'payments.refund\u0000',
  'p\u0430yments.refund',
  '*',
  'payments.*',
  'x'.repeat(100_000),
];
