/** The same questions about an attempt. */
import { webhookDeliveryGuards } from '../webhook-delivery/guards.ts';

export const mailGuards = { ...webhookDeliveryGuards };
