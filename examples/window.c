/* A window by GLFW. */
#include "stage.h"

#include <GLFW/glfw3.h>

void *window_open(const char *title, int width, int height)
{
    if (!glfwInit())
        return NULL;
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SRGB_CAPABLE, GLFW_TRUE);
    glfwWindowHint(GLFW_SAMPLES, 4);
    GLFWwindow *window = glfwCreateWindow(width, height, title, NULL, NULL);
    if (window)
        glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    return window;
}

void window_size(void *window, int *width, int *height)
{
    glfwGetFramebufferSize(window, width, height);
}

bool window_show(void *window)
{
    glfwSwapBuffers(window);
    glfwPollEvents();
    return !glfwWindowShouldClose(window) && glfwGetKey(window, GLFW_KEY_ESCAPE) != GLFW_PRESS;
}

double window_seconds(void)
{
    return glfwGetTime();
}
