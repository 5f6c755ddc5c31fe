/** Parts that the schemas of many routes share. */
import { StrictObject } from '@permitry/protocol/schemas';
import Type from 'typebox';

/** An id or a name in a path. Text of another form is valid here, but never found. */
export const PathId = Type.String({ maxLength: 64 });

/** The path of one item and of what belongs to it: a project, a passkey, a session. */
export const ItemPath = StrictObject({ id: PathId });

/** An answer without a body (204). */
export const NoContent = Type.Unsafe<undefined>({ type: 'null' });
