import { StrictObject } from '@permitry/protocol/schemas';
import Type from 'typebox';

/** Path of what the console has of one project. */
export const ProjectPath = StrictObject({ id: Type.String({ maxLength: 64 }) });
