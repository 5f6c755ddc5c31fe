/** A JSON value as in RFC 8259. Numbers are IEEE 754 doubles, as RFC 7493 (I-JSON) requires. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  [member: string]: JsonValue;
}
