/** Starts the time that a request may wait for the database (src/system/request-time.ts). */
import fp from 'fastify-plugin';
import { pauseTime, type RequestTime, resumeTime, startTime, withinTime } from '../system/request-time.ts';

declare module 'fastify' {
  interface FastifyRequest {
    time: RequestTime;
  }
}

export const requestDeadline = fp(
  async (app) => {
    app.decorateRequest('time');
    app.addHook('onRequest', (request, _reply, done) => {
      request.time = startTime();
      withinTime(request.time, done);
    });
    app.addHook('preParsing', (request, _reply, payload, done) => {
      pauseTime(request.time);
      done(null, payload);
    });
    // Reading the body leaves the context of the request.
    app.addHook('preValidation', (request, _reply, done) => {
      resumeTime(request.time);
      withinTime(request.time, done);
    });
  },
  { name: 'request-deadline' },
);
