/** A step of an assembly that fields of a form ask for. */
import type { GivenStep } from '../../render/request/schemas/assembly-schema.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';

export interface FormStep {
  step: GivenStep;
  /** The field that an error is about: a member of the step in, `''` for the step itself. */
  nameField(member: string): string;
  /** Files that the step names. */
  files?: UploadedFile[];
}
